SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 2, 3};
Physical Surface("bottom") = {5};
Physical Volume("all") = {1};
