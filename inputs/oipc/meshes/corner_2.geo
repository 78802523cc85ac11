h = 0.01;
Include "corner.geo";
