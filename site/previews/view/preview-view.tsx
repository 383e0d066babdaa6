import { useEffect, useRef } from 'preact/hooks';
import { DataTable } from '../../../lib/pages/site/tables.tsx';
import type { Picture, Preview } from '../preview.ts';
import { MapView } from './map-view.tsx';

export function PreviewView({ preview, readMore }: { preview: Preview; readMore: (() => void) | undefined }) {
  const { map, picture, table, properties = [], notes } = preview;
  return (
    <>
      {map !== undefined && <MapView map={map} />}
      {picture !== undefined && <PictureView picture={picture} />}
      <p class="soft notes">
        {notes.join(' ')}
        {preview.hasMore && readMore !== undefined && (
          <>
            {' '}
            <button type="button" class="quiet" onClick={readMore}>
              Read more columns
            </button>
          </>
        )}
      </p>
      {table !== undefined && table.columns.length > 0 && <DataTable table={table} label="Preview" />}
      {properties.length > 0 && (
        <dl class="properties wide">
          {properties.map(([name, value], index) => (
            <div key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** A picture that is narrower than this is enlarged. */
const smallWidth = 640;

function PictureView({ picture }: { picture: Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, pixels, description, legend } = picture;
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [pixels, width, height]);
  return (
    <figure class={width < smallWidth ? 'picture small' : 'picture'}>
      <canvas ref={canvas} width={width} height={height} role="img" aria-label={description} />
      {legend !== undefined && (
        <figcaption class="ramp">
          <span>{legend.lowest}</span>
          <span class="colours" aria-hidden="true" />
          <span>{legend.highest}</span>
        </figcaption>
      )}
    </figure>
  );
}
