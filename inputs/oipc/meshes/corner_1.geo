h = 0.02;
Include "corner.geo";
