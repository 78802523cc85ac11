// A quarter of a plate with a hole; the curve loop runs clockwise and the arc has a centre, which is no part of the mesh.
SetFactory("Built-in");
Point(1) = {0, 0, 0, 0.3};
Point(2) = {1, 0, 0, 0.3};
Point(3) = {2, 0, 0, 0.3};
Point(4) = {2, 2, 0, 0.3};
Point(5) = {0, 2, 0, 0.3};
Point(6) = {0, 1, 0, 0.3};
Line(1) = {2, 3};
Line(2) = {3, 4};
Line(3) = {4, 5};
Line(4) = {5, 6};
Circle(5) = {6, 1, 2};
Curve Loop(1) = {-5, -4, -3, -2, -1};
Plane Surface(1) = {1};
Physical Curve("top") = {3};
Physical Surface("plate") = {1};
