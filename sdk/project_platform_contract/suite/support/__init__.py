"""What the tests of the suite share: requests, readers, fixtures' values."""
