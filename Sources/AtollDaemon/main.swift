// AtollDaemon: main goes here.
