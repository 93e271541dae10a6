// AtollRealm: the room's essay goes here.
