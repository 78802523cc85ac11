h = 0.005;
Include "corner.geo";
