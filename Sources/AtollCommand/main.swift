// AtollCommand: main goes here.
