// AtollReplication: the room's essay goes here.
