"""Evaluation of methods on questions with known answers: datasets, scores, runs, reports."""
