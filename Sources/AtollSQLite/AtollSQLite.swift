// AtollSQLite: the room's essay goes here.
