// A quarter of an O-ring that rests on y = 0: cord 5 mm, mean diameter 20 mm; lengths in mm. Vertices lie where the plates touch it first.
SetFactory("OpenCASCADE");
R = 10; r = 2.5;
Point(1) = {R, r, 0};
Point(2) = {R, 0, 0}; Point(3) = {R + r, r, 0}; Point(4) = {R, 2 * r, 0}; Point(5) = {R - r, r, 0};
Circle(1) = {2, 1, 3}; Circle(2) = {3, 1, 4}; Circle(3) = {4, 1, 5}; Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
turned() = Extrude {{0, 1, 0}, {0, 0, 0}, -Pi / 2} { Surface{1}; };
Physical Volume("ring") = {turned(1)};
Physical Surface("first") = {1};             // in the plane z = 0
Physical Surface("last") = {turned(0)};      // in the plane x = 0
