h = 0.02;
Include "flat.geo";
