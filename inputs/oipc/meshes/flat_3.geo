h = 0.005;
Include "flat.geo";
