import type { DrawnMap, MapLayer } from '../preview.ts';

/** The number of colors for layers. Further layers repeat these colors. */
export const layerColours = 6;
const fontSize = 11;
const manyPoints = 2000;

/** Returns the height of a map for a given width. The height is between 220 and 480 pixels. */
export function heightOf({ extent: [left, top, right, bottom] }: DrawnMap, width: number): number {
  return Math.round(Math.min(Math.max((width * (bottom - top)) / (right - left), 220), 480));
}

/** Returns the names of the layers without duplicates, in the order in which they first appear. */
export function layerNames({ layers }: DrawnMap): string[] {
  return [...new Set(layers.map(({ name }) => name))];
}

/** Draws the whole map at the size of the canvas. */
export function drawMap(canvas: HTMLCanvasElement, map: DrawnMap, width: number, height: number): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const pixelRatio = Math.min(globalThis.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * pixelRatio);
  canvas.height = Math.round(height * pixelRatio);
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  new MapDrawing(context, map, width, height).draw();
}

class MapDrawing {
  readonly #context: CanvasRenderingContext2D;
  readonly #map: DrawnMap;
  readonly #width: number;
  readonly #height: number;
  readonly #scale: number;
  /** The position of the map's origin on the canvas, in pixels. */
  readonly #left: number;
  readonly #top: number;

  constructor(context: CanvasRenderingContext2D, map: DrawnMap, width: number, height: number) {
    const [left, top, right, bottom] = map.extent;
    this.#context = context;
    this.#map = map;
    this.#width = width;
    this.#height = height;
    this.#scale = Math.min(width / (right - left), height / (bottom - top));
    this.#left = (width - (left + right) * this.#scale) / 2;
    this.#top = (height - (top + bottom) * this.#scale) / 2;
  }

  draw(): void {
    const { layers, tiles = [] } = this.#map;
    this.#context.fillStyle = this.#token('--raised');
    this.#context.fillRect(0, 0, this.#width, this.#height);
    for (const { x, y, size, image } of tiles) {
      // Draw each tile one pixel larger than its size, so that no gap shows between tiles.
      const side = Math.ceil(size * this.#scale) + 1;
      this.#context.drawImage(image, Math.floor(this.#x(x)), Math.floor(this.#y(y)), side, side);
    }
    this.#drawGraticule();
    this.#drawLayers(layers.filter(({ kind }) => kind !== 'point'));
    this.#labelGraticule();
    // Draw points last, so that labels of the graticule do not hide them.
    this.#drawLayers(layers.filter(({ kind }) => kind === 'point'));
  }

  #x(x: number): number {
    return this.#left + x * this.#scale;
  }

  #y(y: number): number {
    return this.#top + y * this.#scale;
  }

  #token(name: string): string {
    return getComputedStyle(this.#context.canvas).getPropertyValue(name).trim();
  }

  #clip(left: number, top: number, width: number, height: number): void {
    this.#context.beginPath();
    this.#context.rect(this.#x(left), this.#y(top), width * this.#scale, height * this.#scale);
    this.#context.clip();
  }

  #drawLayers(layers: readonly MapLayer[]): void {
    const names = layerNames(this.#map);
    const [left, top, right, bottom] = this.#map.extent;
    const colours = Array.from({ length: layerColours }, (_, index) => this.#token(`--shape-${index + 1}`));
    for (const layer of layers) {
      const colour = colours[names.indexOf(layer.name) % layerColours] ?? '';
      this.#context.save();
      this.#clip(left, top, right - left, bottom - top);
      if (layer.clip !== undefined) this.#clip(layer.clip[0], layer.clip[1], layer.clip[2], layer.clip[2]);
      this.#context.fillStyle = colour;
      this.#context.strokeStyle = colour;
      this.#context.lineJoin = 'round';
      if (layer.kind === 'point') this.#drawPoints(layer);
      else if (layer.kind === 'line') this.#drawLines(layer);
      else this.#drawAreas(layer, names.length > 1 ? 0.22 : 0.32);
      this.#context.restore();
    }
  }

  #drawPoints({ points }: MapLayer): void {
    const radius = points.length / 2 > manyPoints ? 1.6 : 3.2;
    this.#context.globalAlpha = 0.8;
    for (let index = 0; index + 1 < points.length; index += 2) {
      this.#context.beginPath();
      this.#context.arc(this.#x(points[index] ?? 0), this.#y(points[index + 1] ?? 0), radius, 0, 2 * Math.PI);
      this.#context.fill();
    }
  }

  #drawLines(layer: MapLayer): void {
    this.#context.lineWidth = 1.4;
    this.#context.beginPath();
    this.#trace(layer, 0, layer.starts.length - 1);
    this.#context.stroke();
  }

  #drawAreas(layer: MapLayer, opacity: number): void {
    const { areas = new Uint32Array([0, layer.starts.length - 1]) } = layer;
    this.#context.lineWidth = 0.8;
    for (let area = 0; area + 1 < areas.length; area += 1) {
      this.#context.beginPath();
      this.#trace(layer, areas[area] ?? 0, areas[area + 1] ?? 0);
      this.#context.globalAlpha = opacity;
      this.#context.fill('evenodd');
      this.#context.globalAlpha = 0.9;
      this.#context.stroke();
    }
  }

  /** Adds lines or rings to the canvas path. */
  #trace({ points, starts }: MapLayer, from: number, to: number): void {
    for (let part = from; part < to; part += 1) {
      const start = starts[part] ?? 0;
      for (let at = start; at < (starts[part + 1] ?? 0); at += 1) {
        const [x, y] = [this.#x(points[2 * at] ?? 0), this.#y(points[2 * at + 1] ?? 0)];
        if (at === start) this.#context.moveTo(x, y);
        else this.#context.lineTo(x, y);
      }
    }
  }

  #drawGraticule(): void {
    this.#context.strokeStyle = this.#token('--line');
    this.#context.lineWidth = 1;
    this.#context.beginPath();
    for (const { axis, at } of this.#map.graticule) {
      const isX = axis === 'x';
      // Place the line in the middle of a pixel, so that it is exactly one pixel wide.
      const position = Math.round(isX ? this.#x(at) : this.#y(at)) + 0.5;
      this.#context.moveTo(isX ? position : 0, isX ? 0 : position);
      this.#context.lineTo(isX ? position : this.#width, isX ? this.#height : position);
    }
    this.#context.stroke();
  }

  /** Draws labels above lines and areas. An outline in the background color makes them readable. */
  #labelGraticule(): void {
    const [context, width, height] = [this.#context, this.#width, this.#height];
    context.font = `${fontSize}px system-ui, sans-serif`;
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = this.#token('--raised');
    context.fillStyle = this.#token('--soft');
    let lastEnd = 0;
    for (const { axis, at, label } of this.#map.graticule) {
      const textWidth = context.measureText(label).width;
      const isX = axis === 'x';
      const x = isX ? this.#x(at) - textWidth / 2 : 6;
      const y = isX ? height - 7 : this.#y(at) + fontSize / 3;
      const isInside = isX
        ? x >= 44 && x > lastEnd + 8 && x + textWidth < width - 4
        : y > fontSize + 4 && y < height - 2 * fontSize;
      if (!isInside) continue;
      if (isX) lastEnd = x + textWidth;
      context.strokeText(label, x, y);
      context.fillText(label, x, y);
    }
  }
}
