"""The forms of a report: a page, Markdown and JSON, and the page printed."""
