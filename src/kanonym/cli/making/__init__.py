"""Commands that make tables: releases, transformations, hierarchies, records."""
