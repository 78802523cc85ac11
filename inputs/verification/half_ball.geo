// The lower half of a ball about (0, R, 0), fine where it touches y = 0 and coarser in proportion away from there. All lengths of edges
// scale with h, so that half balls of different h are one family of meshes.
DefineConstant[R = 1];         // radius [m]
DefineConstant[h = 0.02];      // finest edges [m]
DefineConstant[core = 0.06];   // how far the fine mesh reaches around the pole [m]
DefineConstant[growth = 20];   // edges at a distance r from there are h (1 + growth r) long [1/m]
Point(1) = {0, R, 0};
Point(2) = {0, 0, 0};
Point(3) = {R, R, 0};
Point(4) = {0, R, R};
Point(5) = {-R, R, 0};
Point(6) = {0, R, -R};
For k In {0:3}
  next = 3 + (k + 1) % 4;
  Circle(1 + k) = {2, 1, 3 + k};
  Circle(5 + k) = {3 + k, 1, next};
  Line(9 + k) = {1, 3 + k};
EndFor
For k In {0:3}
  next = (k + 1) % 4;
  Curve Loop(1 + k) = {1 + k, 5 + k, -(1 + next)};
  Surface(1 + k) = {1 + k} In Sphere {1};
  Curve Loop(5 + k) = {9 + k, 5 + k, -(9 + next)};
  Plane Surface(5 + k) = {5 + k};
EndFor
Surface Loop(1) = {1:8};
Volume(1) = {1};
Physical Volume("half ball") = {1};
Physical Surface("base") = {5:8};
Field[1] = MathEval;
Field[1].F = Sprintf("%g * (1 + %g * Max(0, Sqrt(x*x + y*y + z*z) - %g))", h, growth, core);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.Algorithm = 6;
Mesh.Algorithm3D = 1;
