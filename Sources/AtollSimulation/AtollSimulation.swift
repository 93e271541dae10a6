// AtollSimulation: the room's essay goes here.
