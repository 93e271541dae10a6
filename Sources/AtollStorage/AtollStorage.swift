// AtollStorage: the room's essay goes here.
