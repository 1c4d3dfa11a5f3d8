"""Methods measured on questions with known answers: datasets, scores, runs, reports."""
