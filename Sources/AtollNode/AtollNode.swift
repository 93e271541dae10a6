// AtollNode: the room's essay goes here.
