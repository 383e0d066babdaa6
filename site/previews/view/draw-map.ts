import type { DrawnMap, MapLayer } from '../preview.ts';

/** Number of layer colors before they repeat. */
export const layerColours = 6;
const fontSize = 11;
const manyPoints = 2000;

interface Colours {
  ground: string;
  line: string;
  label: string;
  layers: string[];
}

interface Placing {
  scale: number;
  left: number;
  top: number;
}

/** Returns the height of a map at a width, between 220 and 480 pixels. */
export function heightOf({ extent: [left, top, right, bottom] }: DrawnMap, width: number): number {
  return Math.round(Math.min(Math.max((width * (bottom - top)) / (right - left), 220), 480));
}

/** Draws the whole map at the size of the canvas. */
export function drawMap(canvas: HTMLCanvasElement, map: DrawnMap, width: number, height: number): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const pixelRatio = Math.min(globalThis.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * pixelRatio);
  canvas.height = Math.round(height * pixelRatio);
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  const colours = coloursOf(canvas);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  const [left, top, right, bottom] = map.extent;
  const scale = Math.min(width / (right - left), height / (bottom - top));
  const placing = {
    scale,
    left: (width - (right - left) * scale) / 2 - left * scale,
    top: (height - (bottom - top) * scale) / 2 - top * scale,
  };
  for (const { x, y, size, image } of map.tiles ?? []) {
    // One pixel wider, so that no seam shows between tiles.
    const [from, to] = [placing.left + x * scale, placing.top + y * scale];
    context.drawImage(
      image,
      Math.floor(from),
      Math.floor(to),
      Math.ceil(size * scale) + 1,
      Math.ceil(size * scale) + 1,
    );
  }
  drawGraticule(context, map, placing, colours, { width, height });
  const names = layerNames(map);
  const drawLayers = (layers: readonly MapLayer[]) => {
    context.save();
    context.beginPath();
    context.rect(
      placing.left + left * scale,
      placing.top + top * scale,
      (right - left) * scale,
      (bottom - top) * scale,
    );
    context.clip();
    for (const layer of layers) {
      const colour = colours.layers[names.indexOf(layer.name) % layerColours] ?? colours.label;
      drawLayer(context, layer, placing, colour, names.length > 1);
    }
    context.restore();
  };
  drawLayers(map.layers.filter(({ kind }) => kind !== 'point'));
  labelGraticule(context, map, placing, colours, { width, height });
  // Points are drawn last, because a label would hide them.
  drawLayers(map.layers.filter(({ kind }) => kind === 'point'));
}

/** Returns the names of layers in the order of their first shapes. */
export function layerNames({ layers }: DrawnMap): string[] {
  return [...new Set(layers.map(({ name }) => name))];
}

function coloursOf(canvas: HTMLCanvasElement): Colours {
  const styles = getComputedStyle(canvas);
  const token = (name: string) => styles.getPropertyValue(name).trim();
  return {
    ground: token('--raised'),
    line: token('--line'),
    label: token('--soft'),
    layers: Array.from({ length: layerColours }, (_, index) => token(`--shape-${index + 1}`)),
  };
}

function drawLayer(
  context: CanvasRenderingContext2D,
  layer: MapLayer,
  placing: Placing,
  colour: string,
  isOneOfMany: boolean,
) {
  context.save();
  if (layer.clip !== undefined) {
    const [x, y, size] = layer.clip;
    context.beginPath();
    context.rect(
      placing.left + x * placing.scale,
      placing.top + y * placing.scale,
      size * placing.scale,
      size * placing.scale,
    );
    context.clip();
  }
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineJoin = 'round';
  if (layer.kind === 'point') drawPoints(context, layer, placing);
  else if (layer.kind === 'line') {
    context.lineWidth = 1.4;
    context.beginPath();
    for (let index = 0; index + 1 < layer.starts.length; index += 1) tracePart(context, layer, index, placing);
    context.stroke();
  } else drawAreas(context, layer, placing, isOneOfMany);
  context.restore();
}

function drawPoints(context: CanvasRenderingContext2D, { points }: MapLayer, { scale, left, top }: Placing) {
  const radius = points.length / 2 > manyPoints ? 1.6 : 3.2;
  context.globalAlpha = 0.8;
  for (let index = 0; index + 1 < points.length; index += 2) {
    context.beginPath();
    context.arc(left + (points[index] ?? 0) * scale, top + (points[index + 1] ?? 0) * scale, radius, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawAreas(context: CanvasRenderingContext2D, layer: MapLayer, placing: Placing, isOneOfMany: boolean) {
  const { areas = new Uint32Array([0, layer.starts.length - 1]) } = layer;
  context.lineWidth = 0.8;
  for (let area = 0; area + 1 < areas.length; area += 1) {
    context.beginPath();
    for (let ring = areas[area] ?? 0; ring < (areas[area + 1] ?? 0); ring += 1)
      tracePart(context, layer, ring, placing);
    context.globalAlpha = isOneOfMany ? 0.22 : 0.32;
    context.fill('evenodd');
    context.globalAlpha = 0.9;
    context.stroke();
  }
}

function tracePart(
  context: CanvasRenderingContext2D,
  { points, starts }: MapLayer,
  index: number,
  { scale, left, top }: Placing,
) {
  for (let at = starts[index] ?? 0, first = true; at < (starts[index + 1] ?? 0); at += 1, first = false) {
    const [x, y] = [left + (points[2 * at] ?? 0) * scale, top + (points[2 * at + 1] ?? 0) * scale];
    if (first) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
}

interface Size {
  width: number;
  height: number;
}

function drawGraticule(
  context: CanvasRenderingContext2D,
  map: DrawnMap,
  placing: Placing,
  colours: Colours,
  { width, height }: Size,
) {
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const { axis, at } of map.graticule) {
    // In the middle of a pixel, so that a line is one pixel wide.
    const place = Math.round((axis === 'x' ? placing.left : placing.top) + at * placing.scale) + 0.5;
    context.moveTo(axis === 'x' ? place : 0, axis === 'x' ? 0 : place);
    context.lineTo(axis === 'x' ? place : width, axis === 'x' ? height : place);
  }
  context.stroke();
}

/** Writes labels over lines and areas, with an outline in the background color for contrast. */
function labelGraticule(
  context: CanvasRenderingContext2D,
  map: DrawnMap,
  placing: Placing,
  colours: Colours,
  { width, height }: Size,
) {
  context.font = `${fontSize}px system-ui, sans-serif`;
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = colours.ground;
  context.fillStyle = colours.label;
  let lastEnd = 0;
  for (const { axis, at, label } of map.graticule) {
    const textWidth = context.measureText(label).width;
    const isX = axis === 'x';
    const place = (isX ? placing.left : placing.top) + at * placing.scale;
    const x = isX ? place - textWidth / 2 : 6;
    const y = isX ? height - 7 : place + fontSize / 3;
    const isInside = isX ? x > lastEnd + 8 && x + textWidth < width - 4 : y > fontSize + 4 && y < height - 2 * fontSize;
    if (!isInside || (isX && x < 44)) continue;
    if (isX) lastEnd = x + textWidth;
    context.strokeText(label, x, y);
    context.fillText(label, x, y);
  }
}
