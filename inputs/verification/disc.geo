// A disc, fine where it touches flat faces above and below and coarser in proportion away from there. All lengths of edges scale with h,
// so that discs of different h are one family of meshes.
DefineConstant[R = 1];         // radius [m]
DefineConstant[h = 0.0125];    // finest edges [m]
DefineConstant[core = 0.06];   // how far the fine mesh reaches around a pole [m]
DefineConstant[growth = 40];   // edges at a distance r from there are h (1 + growth r) long [1/m]
Point(1) = {0, 0, 0};
Point(2) = {0, -R, 0};
Point(3) = {R, 0, 0};
Point(4) = {0, R, 0};
Point(5) = {-R, 0, 0};
Circle(1) = {2, 1, 3};
Circle(2) = {3, 1, 4};
Circle(3) = {4, 1, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Surface("disc") = {1};
Field[1] = MathEval;
Field[1].F = Sprintf("%g * (1 + %g * Max(0, Sqrt(x*x + (Fabs(y) - %g)^2) - %g))", h, growth, R, core);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.Algorithm = 6;
