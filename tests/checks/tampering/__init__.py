"""Tests of the tampering analysis. `honest` reads small changes from `cases/`, honest and cheating ones."""
