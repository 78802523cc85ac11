h = 0.0025;
Include "flat.geo";
