// The cusps open by 50 degrees, in chi_2d.geo by 22.
waist = 0.535 * Cos(50 / 2 * Pi / 180) - 0.5;
Include "chi_2d.geo";
