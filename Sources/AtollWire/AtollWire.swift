// AtollWire: the room's essay goes here.
