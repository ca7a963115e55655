"""The workbench: pages in a browser, on the user's own machine, over the library.

It has no logic of its own: actions change a policy, and numbers come from the library.
"""
