import { useEffect, useRef } from 'preact/hooks';
import type { Picture } from '../preview.ts';

/** A picture with a smaller width is enlarged. */
const smallWidth = 640;

export function PictureView({ picture }: { picture: Picture }) {
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
