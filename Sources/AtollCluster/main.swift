// AtollCluster: main goes here.
