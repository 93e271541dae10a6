// Atoll: the room's essay goes here.
