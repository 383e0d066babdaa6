import { useEffect, useRef } from 'preact/hooks';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import type { DrawnMap } from '../preview.ts';
import { drawMap, heightOf, layerColours, layerNames } from './draw-map.ts';

const namesShown = 24;

/** Shows the map, and draws it again when its size or the colors of the page change. */
export function MapView({ map }: { map: DrawnMap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const draw = () => {
      const width = current.parentElement?.clientWidth ?? 0;
      const height = heightOf(map, width);
      current.style.height = `${height}px`;
      if (width > 0) drawMap(current, map, width, height);
    };
    const resizing = new ResizeObserver(draw);
    if (current.parentElement !== null) resizing.observe(current.parentElement);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resizing.disconnect();
      scheme.removeEventListener('change', draw);
    };
  }, [map]);
  const names = layerNames(map).filter((name) => name !== '');
  return (
    <figure class="map">
      <div>
        <canvas ref={canvas} role="img" aria-label={map.description} />
      </div>
      {names.length > 0 && (
        <figcaption>
          <ul class="legend">
            {names.slice(0, namesShown).map((name, index) => (
              <li key={name}>
                <span class={`swatch shape-${(index % layerColours) + 1}`} aria-hidden="true" />
                {cutText(name, 60)}
              </li>
            ))}
          </ul>
        </figcaption>
      )}
    </figure>
  );
}
