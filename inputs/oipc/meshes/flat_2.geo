h = 0.01;
Include "flat.geo";
