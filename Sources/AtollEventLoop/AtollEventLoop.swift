// AtollEventLoop: the room's essay goes here.
