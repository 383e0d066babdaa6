import { describe, expect, it, test } from 'vitest';
import land110 from 'world-atlas/land-110m.json' with { type: 'json' };
import { columnOf, columnsOf, ShapeCollector } from '../../../site/previews/formats/map.ts';
import { mercatorX, mercatorY } from '../../../site/previews/formats/mercator.ts';
import { styleBy } from '../../../site/previews/view/map/column-style.ts';
import { landDetailOf, landOf } from '../../../site/previews/view/map/land.ts';
import { featureAt } from '../../../site/previews/view/map/shapes.ts';
import {
  bounded,
  extentOf,
  fitted,
  graticuleOf,
  panned,
  planeAt,
  positionText,
  scaleBarOf,
  zoomed,
} from '../../../site/previews/view/map/viewport.ts';

const world = fitted([0, 0, 1, 1], 800, 400);

describe('a viewport', () => {
  it('shows all of an extent, in the middle', () => {
    expect(world.scale).toBe(400);
    expect(extentOf(world)).toEqual([-0.5, 0, 1.5, 1]);
  });

  it('keeps the position under the pointer when it zooms', () => {
    const before = planeAt(world, 100, 300);
    expect(planeAt(zoomed(world, 3, 100, 300), 100, 300)).toEqual(before.map((value) => expect.closeTo(value)));
  });

  it('moves by pixels, and never loses the map', () => {
    expect(planeAt(panned(world, 40, -20), 440, 180)).toEqual([0.5, 0.5]);
    expect(bounded(panned(world, 4000, 4000), 'mercator', [0, 0, 1, 1])).toMatchObject({ x: 0, y: 0 });
    expect(bounded(zoomed(world, 1e-9, 0, 0), 'mercator', [0, 0, 1, 1]).scale).toBe(200);
    expect(bounded(zoomed(world, 1e99, 0, 0), 'mercator', [0, 0, 1, 1]).scale).toBeLessThan(1e10);
  });

  test.each([
    ['the world', fitted([0, 0, 1, 1], 800, 800), '5000 km'],
    ['a town', { ...world, x: 0.5, y: mercatorY(60), scale: 1e6 }, '2 km'],
    ['a street', { ...world, x: 0.5, y: 0.5, scale: 4e8 }, '10 m'],
  ])('has a scale bar of a round length for %s', (_, viewport, label) => {
    const bar = scaleBarOf(viewport, 'mercator');
    expect(bar.label).toBe(label);
    expect(bar.pixels).toBeGreaterThan(40);
    expect(bar.pixels).toBeLessThanOrEqual(110);
  });

  it('writes positions with as many digits as its pixels have', () => {
    const town = { ...world, x: mercatorX(13.4), y: mercatorY(-52.5), scale: 1e6 };
    expect(positionText(world, 'mercator', 0.5, 0.5)).toBe('0.0° N, 0.0° E');
    expect(positionText(town, 'mercator', town.x, town.y)).toBe('52.5000° S, 13.4000° E');
    expect(positionText({ ...world, scale: 100 }, 'plain', 2.71, -2)).toBe('x 2.71, y 2.00');
  });

  it('has lines at round degrees, and none on a plane of unknown position', () => {
    const shown = fitted([mercatorX(-0.2), mercatorY(2.2), mercatorX(4.2), mercatorY(-0.2)], 440, 240);
    const labels = graticuleOf(shown, 'mercator').map(({ label }) => label);
    expect(labels.join(', ')).toBe('0°, 1° E, 2° E, 3° E, 4° E, 0°, 1° N, 2° N');
    expect(graticuleOf(shown, 'plain')).toEqual([]);
  });
});

describe('the feature under the pointer', () => {
  const shapes = new ShapeCollector(100);
  const square = (at: number, side: number): [number, number][] => [
    [at, at],
    [at + side, at],
    [at + side, at + side],
    [at, at + side],
    [at, at],
  ];
  shapes.beginFeature(0);
  shapes.beginArea();
  shapes.add('area', square(0, 10));
  shapes.add('area', square(4, 2));
  shapes.beginFeature(1);
  shapes.add('line', [
    [2, 0],
    [2, 10],
  ]);
  shapes.beginFeature(2);
  shapes.add('point', [[2.1, 5]]);
  const layers = shapes.layers('', (x, y) => [x, y]);

  test.each([
    ['an area', [8, 8], 0],
    ['nothing in the hole of an area', [5, 5], undefined],
    ['nothing outside', [11, 5], undefined],
    ['a line before the area below it', [2.2, 9], 1],
    ['a point before the line below it', [2, 5], 2],
  ])('is %s', (_, [x = 0, y = 0], feature) => {
    expect(featureAt(layers, x, y, 0.3)).toBe(feature);
  });

  it('is not the feature of a shape outside of its tile', () => {
    const clipped = layers.map((layer) => ({ ...layer, clip: [0, 0, 1] as [number, number, number] }));
    expect(featureAt(clipped, 8, 8, 0.3)).toBeUndefined();
  });
});

describe('the colors of a column', () => {
  it('are classes of equal size for numbers, and one for each of few numbers', () => {
    const many = styleBy(columnOf('n', [...Array.from({ length: 12 }, (_, at) => at), null]));
    expect([...many.classes]).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, -1]);
    expect(many.labels).toEqual(['0 – 2', '2 – 4', '4 – 6', '6 – 8', '8 – 10', '10 – 11']);
    expect(styleBy(columnOf('n', [3, 1, 3]))).toMatchObject({ labels: ['1', '3'], isScale: true });
  });

  it('are the most frequent texts, and one for all others', () => {
    const { classes, labels } = styleBy(columnOf('t', ['a', 'b', 'b', 'c', 'd', 'e', 'f', 'g', null]));
    expect(labels).toEqual(['b', 'a', 'c', 'd', 'e', '2 other values']);
    expect([...classes]).toEqual([1, 0, 0, 2, 3, 4, 5, 5, -1]);
  });

  it('take at most 400,000 values from a file, of properties of the features themselves', () => {
    const rows = Array.from({ length: 20_000 }, () =>
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`c${at}`, at])),
    );
    expect(columnsOf(rows)).toHaveLength(20);
    expect(columnsOf([JSON.parse('{"__proto__":1}'), {}])).toEqual([
      { name: '__proto__', values: Float64Array.of(1, Number.NaN) },
    ]);
  });
});

describe('the outline of the land', () => {
  it('matches the coasts', () => {
    const land = landOf(land110 as unknown as Parameters<typeof landOf>[0]);
    const owners = new Uint32Array((land.areas?.length ?? 1) - 1);
    const isLand = (longitude: number, latitude: number) =>
      featureAt([{ ...land, owners }], mercatorX(longitude), mercatorY(latitude), 0) !== undefined;
    const found = [
      [13.4, 52.5],
      [-58, -34.9],
      [134, -25],
      [179.5, 67.5],
      [-175, 66.8],
      [0, 0],
      [-30, 40],
      [-40, 64],
    ].map(([longitude = 0, latitude = 0]) => isLand(longitude, latitude));
    expect(found).toEqual([true, true, true, true, true, false, false, false]);
  });

  it('is not drawn where a pixel is smaller than its error', () => {
    expect([20_000, 1000, 10].map(landDetailOf)).toEqual(['coarse', 'fine', undefined]);
  });
});
