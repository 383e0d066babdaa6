import type { DrawnMap, Extent, MapLayer, MapPicture, Pixels } from '../../preview.ts';
import { overlaps, type Shape, shapesOf } from './shapes.ts';
import { extentOf, graticuleOf, screenX, screenY, type Viewport } from './viewport.ts';

/** The number of layer colors. Further layers repeat these colors. */
export const layerColours = 6;
const fontSize = 11;
const manyPoints = 2000;
/** The class of features that have no color. */
const noColour = -1;

/** The content to draw on the map. */
export interface Drawing {
  map: DrawnMap;
  viewport: Viewport;
  land: MapLayer | undefined;
  /** The class of each feature, and the names of the CSS variables for the class colors. */
  style: { classes: Int8Array; tokens: readonly string[] } | undefined;
  /** The row of the feature that is highlighted. */
  feature: number | undefined;
  /** True to mark the middle of the map for keyboard users. */
  hasCrosshair: boolean;
}

/** Returns the names of the layers without duplicates, in the order in which they first appear. */
export function layerNames({ layers }: DrawnMap): string[] {
  return [...new Set(layers.map(({ name }) => name))];
}

/** Draws a map at the size of its viewport. */
export function drawMap(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { width, height } = drawing.viewport;
  const pixelRatio = Math.min(globalThis.devicePixelRatio || 1, 2);
  const size = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)] as const;
  // Setting the size clears the canvas and is slow, so set it only after a change.
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  new MapDrawing(context, drawing).draw();
}

const decoded = new WeakMap<Pixels, HTMLCanvasElement>();

/** Returns an image that a canvas can draw. Copies pixels to a separate canvas once. */
function drawable(image: MapPicture['image']): CanvasImageSource {
  if (!('pixels' in image)) return image;
  let canvas = decoded.get(image);
  if (canvas === undefined) {
    canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d')?.putImageData(new ImageData(image.pixels, image.width, image.height), 0, 0);
    decoded.set(image, canvas);
  }
  return canvas;
}

class MapDrawing {
  readonly #context: CanvasRenderingContext2D;
  readonly #drawing: Drawing;
  readonly #width: number;
  readonly #height: number;
  readonly #extent: Extent;
  readonly #style: CSSStyleDeclaration;

  constructor(context: CanvasRenderingContext2D, drawing: Drawing) {
    this.#context = context;
    this.#drawing = drawing;
    this.#width = drawing.viewport.width;
    this.#height = drawing.viewport.height;
    this.#extent = extentOf(drawing.viewport);
    this.#style = getComputedStyle(context.canvas);
  }

  draw(): void {
    const { map, land } = this.#drawing;
    this.#context.globalAlpha = 1;
    this.#context.fillStyle = this.#token(map.plane === 'mercator' ? '--sea' : '--raised');
    this.#context.fillRect(0, 0, this.#width, this.#height);
    this.#context.save();
    if (map.plane === 'mercator') this.#clip([0, 0, 1]);
    if (land !== undefined) this.#drawLand(land);
    for (const picture of map.pictures ?? []) this.#drawPicture(picture);
    const lines = graticuleOf(this.#drawing.viewport, map.plane);
    this.#drawGraticule(lines);
    this.#drawLayers(map.layers.filter(({ kind }) => kind !== 'point'));
    this.#context.restore();
    this.#labelGraticule(lines);
    // Draw points last, so that labels of the graticule do not hide them.
    this.#drawLayers(map.layers.filter(({ kind }) => kind === 'point'));
    this.#highlight();
    if (this.#drawing.hasCrosshair) this.#drawCrosshair();
  }

  #x(x: number): number {
    return screenX(this.#drawing.viewport, x);
  }

  #y(y: number): number {
    return screenY(this.#drawing.viewport, y);
  }

  #token(name: string): string {
    return this.#style.getPropertyValue(name).trim();
  }

  #drawPicture({ extent: [left, top, right, bottom], image }: MapPicture): void {
    const [x, y] = [this.#x(left), this.#y(top)];
    const [width, height] = [this.#x(right) - x, this.#y(bottom) - y];
    // Enlarged pixels show the values of the file. Smoothing would invent values between them.
    this.#context.imageSmoothingEnabled = width < image.width;
    this.#context.drawImage(drawable(image), x, y, width, height);
  }

  #drawLand(land: MapLayer): void {
    this.#context.fillStyle = this.#token('--land');
    this.#context.beginPath();
    for (const shape of shapesOf(land)) if (overlaps(shape.bounds, this.#extent)) this.#trace(land, shape);
    this.#context.fill('evenodd');
  }

  #drawLayers(layers: readonly MapLayer[]): void {
    const { map, style } = this.#drawing;
    const names = layerNames(map);
    const layerTokens = Array.from({ length: layerColours }, (_, index) => this.#token(`--shape-${index + 1}`));
    const classTokens = style?.tokens.map((token) => this.#token(token)) ?? [];
    for (const layer of layers) {
      this.#context.save();
      if (layer.clip !== undefined) this.#clip(layer.clip);
      this.#context.lineJoin = 'round';
      const shapes = shapesOf(layer).filter(({ bounds }) => overlaps(bounds, this.#extent));
      const own = layerTokens[names.indexOf(layer.name) % layerColours] ?? '';
      if (style === undefined) this.#drawShapes(layer, shapes, own, names.length);
      else {
        // Draw features of one class together, because changing the color for each feature is slow.
        for (let each = noColour; each < classTokens.length; each += 1) {
          const members = shapes.filter(({ feature }) => (style.classes[feature] ?? noColour) === each);
          this.#drawShapes(layer, members, classTokens[each] ?? this.#token('--soft'), 1);
        }
      }
      this.#context.restore();
    }
  }

  #drawShapes(layer: MapLayer, shapes: readonly Shape[], colour: string, layers: number): void {
    if (shapes.length === 0) return;
    this.#context.fillStyle = colour;
    this.#context.strokeStyle = colour;
    if (layer.kind === 'point') this.#drawPoints(layer, shapes);
    else if (layer.kind === 'line') this.#drawLines(layer, shapes);
    else this.#drawAreas(layer, shapes, this.#drawing.style === undefined ? (layers > 1 ? 0.22 : 0.32) : 0.7);
  }

  #clip([left, top, side]: readonly [number, number, number]): void {
    const { scale } = this.#drawing.viewport;
    this.#context.beginPath();
    this.#context.rect(this.#x(left), this.#y(top), side * scale, side * scale);
    this.#context.clip();
  }

  #drawPoints({ points }: MapLayer, shapes: readonly Shape[]): void {
    const radius = shapes.length > manyPoints ? 1.6 : 3.2;
    this.#context.globalAlpha = 0.8;
    for (const { from } of shapes) {
      this.#context.beginPath();
      this.#context.arc(this.#x(points[2 * from] ?? 0), this.#y(points[2 * from + 1] ?? 0), radius, 0, 2 * Math.PI);
      this.#context.fill();
    }
  }

  #drawLines(layer: MapLayer, shapes: readonly Shape[]): void {
    this.#context.lineWidth = 1.4;
    this.#context.beginPath();
    for (const shape of shapes) this.#trace(layer, shape);
    this.#context.stroke();
  }

  #drawAreas(layer: MapLayer, shapes: readonly Shape[], opacity: number): void {
    this.#context.lineWidth = 0.8;
    for (const shape of shapes) {
      this.#context.beginPath();
      this.#trace(layer, shape);
      this.#context.globalAlpha = opacity;
      this.#context.fill('evenodd');
      this.#context.globalAlpha = 0.9;
      this.#context.stroke();
    }
  }

  /** Adds the lines or rings of a shape to the canvas path. Leaves out points that would be in the same pixel. */
  #trace({ points, starts }: MapLayer, { from, to }: Shape): void {
    for (let part = from; part < to; part += 1) {
      const start = starts[part] ?? 0;
      const end = starts[part + 1] ?? 0;
      let [lastX, lastY] = [Number.NaN, Number.NaN];
      for (let at = start; at < end; at += 1) {
        const [x, y] = [this.#x(points[2 * at] ?? 0), this.#y(points[2 * at + 1] ?? 0)];
        if (at === start) this.#context.moveTo(x, y);
        else if (at + 1 === end || Math.abs(x - lastX) + Math.abs(y - lastY) > 0.7) this.#context.lineTo(x, y);
        else continue;
        [lastX, lastY] = [x, y];
      }
    }
  }

  /** Draws the outline of one feature on top of the others. */
  #highlight(): void {
    const { map, feature } = this.#drawing;
    if (feature === undefined) return;
    this.#context.globalAlpha = 1;
    this.#context.strokeStyle = this.#token('--ink');
    this.#context.lineWidth = 2;
    for (const layer of map.layers) {
      this.#context.save();
      if (layer.clip !== undefined) this.#clip(layer.clip);
      for (const shape of shapesOf(layer)) {
        if (shape.feature !== feature || !overlaps(shape.bounds, this.#extent)) continue;
        this.#context.beginPath();
        if (layer.kind === 'point') {
          const at = 2 * shape.from;
          this.#context.arc(this.#x(layer.points[at] ?? 0), this.#y(layer.points[at + 1] ?? 0), 6, 0, 2 * Math.PI);
        } else this.#trace(layer, shape);
        this.#context.stroke();
      }
      this.#context.restore();
    }
  }

  #drawCrosshair(): void {
    const [x, y] = [this.#width / 2, this.#height / 2];
    this.#context.globalAlpha = 1;
    this.#context.beginPath();
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      this.#context.moveTo(x + 4 * dx, y + 4 * dy);
      this.#context.lineTo(x + 12 * dx, y + 12 * dy);
    }
    for (const [token, lineWidth] of [
      ['--raised', 4],
      ['--ink', 1.5],
    ] as const) {
      this.#context.strokeStyle = this.#token(token);
      this.#context.lineWidth = lineWidth;
      this.#context.stroke();
    }
  }

  #drawGraticule(lines: readonly ReturnType<typeof graticuleOf>[number][]): void {
    this.#context.strokeStyle = this.#token('--line');
    this.#context.lineWidth = 1;
    this.#context.beginPath();
    for (const { axis, at } of lines) {
      const isX = axis === 'x';
      // Place the line in the middle of a pixel, so that it is exactly one pixel wide.
      const position = Math.round(isX ? this.#x(at) : this.#y(at)) + 0.5;
      this.#context.moveTo(isX ? position : 0, isX ? 0 : position);
      this.#context.lineTo(isX ? position : this.#width, isX ? this.#height : position);
    }
    this.#context.stroke();
  }

  /** Draws labels above lines and areas. An outline in the background color makes them readable. */
  #labelGraticule(lines: readonly ReturnType<typeof graticuleOf>[number][]): void {
    const [context, width, height] = [this.#context, this.#width, this.#height];
    context.globalAlpha = 1;
    context.font = `${fontSize}px system-ui, sans-serif`;
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = this.#token('--raised');
    context.fillStyle = this.#token('--soft');
    let lastEnd = 0;
    for (const { axis, at, label } of lines) {
      const textWidth = context.measureText(label).width;
      const isX = axis === 'x';
      const x = isX ? this.#x(at) - textWidth / 2 : width - textWidth - 6;
      const y = isX ? height - 7 : this.#y(at) + fontSize / 3;
      const isInside = isX
        ? x >= 4 && x > lastEnd + 8 && x + textWidth < width - 44
        : y > fontSize + 4 && y < height - 2 * fontSize;
      if (!isInside) continue;
      if (isX) lastEnd = x + textWidth;
      context.strokeText(label, x, y);
      context.fillText(label, x, y);
    }
  }
}
