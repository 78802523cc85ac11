h = 0.0025;
Include "corner.geo";
