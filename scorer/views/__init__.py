"""Views: a submission joined with the truth, in the form that each kind of metric takes."""
