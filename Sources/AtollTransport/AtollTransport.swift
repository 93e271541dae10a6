// AtollTransport: the room's essay goes here.
