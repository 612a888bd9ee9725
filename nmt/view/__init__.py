"""Attention that people can see: one offline page, see docs/VIEW.md.

`content` turns what `nmt.decode.inspect` saw into plain numbers and units of text; `page` puts them and the page's own
files (HTML, CSS, JavaScript) into one.
"""
