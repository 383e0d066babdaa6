/** A zone of the Universal Transverse Mercator projection. */
export interface UtmZone {
  fromDegrees(longitude: number, latitude: number): readonly [easting: number, northing: number];
  toDegrees(easting: number, northing: number): readonly [longitude: number, latitude: number];
}

/** The EPSG codes of UTM zones: the code of zone 0, the last zone, and the hemisphere. */
const families: readonly [zero: number, last: number, isSouth: boolean][] = [
  [32_600, 60, false],
  [32_700, 60, true],
  [25_800, 38, false],
  [26_900, 23, false],
  [28_300, 56, true],
  [7800, 59, true],
];

/** Returns the UTM zone of an EPSG code: WGS 84, ETRS89, NAD83, and GDA. */
export function utmOf(code: number): UtmZone | undefined {
  const family = families.find(([zero, last]) => code > zero && code <= zero + last);
  return family && zoneOf(code - family[0], family[2]);
}

// The Krüger series for the ellipsoid of WGS 84, as in Karney, "Transverse Mercator with an accuracy of a few
// nanometers" (2011). With four terms, the error is below a millimeter.
const flattening = 1 / 298.257223563;
const n = flattening / (2 - flattening);
const radius = (6_378_137 / (1 + n)) * (1 + n ** 2 / 4 + n ** 4 / 64);
const scale = 0.9996;
const falseEasting = 500_000;
const falseNorthing = 10_000_000;
const eccentricity = Math.sqrt(flattening * (2 - flattening));
const forward = [
  n / 2 - (2 * n ** 2) / 3 + (5 * n ** 3) / 16 + (41 * n ** 4) / 180,
  (13 * n ** 2) / 48 - (3 * n ** 3) / 5 + (557 * n ** 4) / 1440,
  (61 * n ** 3) / 240 - (103 * n ** 4) / 140,
  (49_561 * n ** 4) / 161_280,
];
const backward = [
  n / 2 - (2 * n ** 2) / 3 + (37 * n ** 3) / 96 - n ** 4 / 360,
  n ** 2 / 48 + n ** 3 / 15 - (437 * n ** 4) / 1440,
  (17 * n ** 3) / 480 - (37 * n ** 4) / 840,
  (4397 * n ** 4) / 161_280,
];
const degrees = Math.PI / 180;

function zoneOf(zone: number, isSouth: boolean): UtmZone {
  const middle = zone * 6 - 183;
  const north = isSouth ? falseNorthing : 0;
  return {
    fromDegrees(longitude, latitude) {
      const turn = (longitude - middle) * degrees;
      const sine = Math.sin(latitude * degrees);
      const conformal = Math.sinh(Math.atanh(sine) - eccentricity * Math.atanh(eccentricity * sine));
      const xi = Math.atan2(conformal, Math.cos(turn));
      const eta = Math.asinh(Math.sin(turn) / Math.hypot(conformal, Math.cos(turn)));
      let [x, y] = [eta, xi];
      for (const [index, term] of forward.entries()) {
        const times = 2 * (index + 1);
        y += term * Math.sin(times * xi) * Math.cosh(times * eta);
        x += term * Math.cos(times * xi) * Math.sinh(times * eta);
      }
      return [falseEasting + scale * radius * x, north + scale * radius * y];
    },
    toDegrees(easting, northing) {
      const y = (northing - north) / (scale * radius);
      const x = (easting - falseEasting) / (scale * radius);
      let [xi, eta] = [y, x];
      for (const [index, term] of backward.entries()) {
        const times = 2 * (index + 1);
        xi -= term * Math.sin(times * y) * Math.cosh(times * x);
        eta -= term * Math.cos(times * y) * Math.sinh(times * x);
      }
      const conformal = Math.sin(xi) / Math.hypot(Math.sinh(eta), Math.cos(xi));
      const target = Math.asinh(conformal);
      let isometric = target;
      // A fixed number of iterations is enough, because each iteration makes the error 150 times smaller.
      for (let step = 0; step < 6; step += 1) {
        isometric = target + eccentricity * Math.atanh(eccentricity * Math.tanh(isometric));
      }
      const latitude = Math.asin(Math.tanh(isometric)) / degrees;
      return [middle + Math.atan2(Math.sinh(eta), Math.cos(xi)) / degrees, latitude];
    },
  };
}
