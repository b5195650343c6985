"""Parts of the participants' kit."""
