// AtollChanges: the room's essay goes here.
