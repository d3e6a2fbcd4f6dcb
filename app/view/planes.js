// Planes through an image with labels over it.
import { element, roundBelow, shown } from "./base.js";

const kAxes = { xy: [0, 1, 2], xz: [0, 2, 1], zy: [2, 1, 0], yz: [1, 2, 0] };  // to the right, down, through
const kGray = [1, 1, 1];
/** Colors of channels that are shown together: red, green and blue of each. They add up. */
const kTints = [[1, 0.2, 0.2], [0.1, 0.9, 0.1], [0.25, 0.4, 1], [0, 0.9, 0.9], [1, 0.2, 1], [1, 0.8, 0]];
/** Names of stains and wavelengths whose color is customary, in the order of these. */
const kStains = [/mcherry|rfp|tritc|texas|cy-?3|tdtomato|dsred|5[5-9]\d/i, /gfp|fitc|4[7-9]\d/i, /dapi|hoechst|bfp|40\d/i, /cfp/i, /cy-?5|6[3-9]\d/i, /yfp|5[12]\d/i];

/** Returns the color of each channel: the customary one of its name, or the first that no other has. */
export function tintsOf(names) {
  const chosen = names.map((name) => kStains.findIndex((stain) => stain.test(name)));
  const taken = chosen.map((tint, n) => (tint < 0 || chosen.indexOf(tint) < n ? -1 : tint));
  const free = kTints.map((_, tint) => tint).filter((tint) => !taken.includes(tint));
  return taken.map((tint, n) => kTints[tint >= 0 ? tint : free.shift() ?? n % kTints.length]);
}

/** All planes through one volume, which look at the same point at the same scale. */
export class Planes {
  /**
   * `scene`: runs, images (channels), extent, spacing, unit, colors and marked by id, names().
   * `hovered(id, place, event)` and `clicked(id, place, event)` are called with what is under the pointer.
   */
  constructor(box, scene, { hovered, clicked, moved }) {
    Object.assign(this, { box, scene, hovered, clicked, moved });
    const { extent, spacing } = scene;
    this.size = [0, 1, 2].map((k) => (spacing?.[k] > 0 && spacing[0] > 0 ? spacing[k] / spacing[0] : 1));  // of an element
    this.place = extent.map((n) => n >> 1);  // the element that all planes go through
    this.center = extent.map((n) => n / 2);  // what is in the middle of the planes
    this.scale = 1;  // CSS pixels an element along x
    const hasImage = scene.images.length > 0, counts = new Uint32Array(256);
    for (const { pixels, shown } of scene.images) if (shown) for (const gray of pixels) ++counts[gray];
    const sum = (from, to) => counts.subarray(from, to).reduce((all, count) => all + count, 0);
    Object.assign(this, { style: hasImage ? "both" : "fill", opacity: hasImage ? 0.45 : 1, invert: scene.inverted, brightness: 1, contrast: 1 });
    this.isLight = 2 * sum(128) > sum(0);
    this.isMask = 20 * sum(8, 248) < sum(0);  // of two values, but for means at borders
    this.inner = new Int32Array(scene.colors.length);
    // Planes of a tall volume are side by side, so that none of the four quarters is empty.
    this.isTall = extent[2] * this.size[2] > Math.max(extent[0], extent[1] * this.size[1]);
    const names = extent[2] === 1 ? ["xy"] : this.isTall ? ["xy", "xz", "yz"] : ["xy", "zy", "xz"];
    this.tints = tintsOf(scene.images.map(({ name }) => name));
    this.planes = names.map((name) => new Plane(this, name));
    this.show(extent[2] > 1 ? "all" : "xy");
    new ResizeObserver(() => { if (!this.touched) this.fit(); else this.draw(); }).observe(box);
  }

  /** One plane alone, or all. */
  show(name) {
    const { extent } = this.scene, [w, h, d] = extent.map((n, k) => n * this.size[k]);
    const least = Math.max(w, h, d) / 3, [wide, high, deep] = [w, h, d].map((n) => Math.max(n, least));
    this.box.className = name === "all" ? "all" : "";
    this.box.style.setProperty("--columns", this.isTall ? `${wide}fr ${wide}fr ${high}fr` : `${wide}fr ${deep}fr`);
    this.box.style.setProperty("--rows", this.isTall ? "1fr" : `${high}fr ${deep}fr`);
    const { axes: [u, v] } = this.planes.find((plane) => plane.title === name) ?? this.planes[0];
    this.box.style.setProperty("--ratio", (extent[v] * this.size[v]) / (extent[u] * this.size[u]));  // of phones, below a plane is no gap
    for (const plane of this.planes) plane.box.hidden = name !== "all" && plane.title !== name;
    this.box.replaceChildren(...this.planes.filter((plane) => !plane.box.hidden).map((plane) => plane.box));
    this.fit();
  }
  get shownPlanes() { return this.planes.filter((plane) => !plane.box.hidden); }

  fit() {
    this.touched = false;
    const { extent } = this.scene;
    this.center = extent.map((n) => n / 2);
    const scale = Math.min(...this.shownPlanes.map(({ canvas, axes: [u, v] }) =>
      Math.min(canvas.clientWidth / (extent[u] * this.size[u]), canvas.clientHeight / (extent[v] * this.size[v]))));
    if (scale > 0) this.scale = scale;
    this.draw();
  }

  zoom(factor, plane = this.shownPlanes[0], x = plane.canvas.clientWidth / 2, y = plane.canvas.clientHeight / 2) {
    this.touched = true;
    const before = plane.elementAt(x, y);
    this.scale = Math.min(Math.max(this.scale * factor, 0.002), 200);
    const after = plane.elementAt(x, y);
    for (const k of plane.axes.slice(0, 2)) this.center[k] += before[k] - after[k];
    this.draw();
  }

  /** Shows an element, in the middle if it is out of sight. */
  go(place) {
    const { extent } = this.scene;
    this.place = place.map((n, k) => Math.min(Math.max(Math.floor(n), 0), extent[k] - 1));
    const isOut = this.shownPlanes.some((plane) => {
      const [x, y] = plane.pixelOf(this.place);
      return x < 0 || y < 0 || x > plane.canvas.clientWidth || y > plane.canvas.clientHeight;
    });
    if (isOut) {
      this.touched = true;
      this.center = this.place.map((n) => n + 0.5);
    }
    this.moved();
    this.draw();
  }

  /** Returns how the image is shown. Colors of labels would hardly be seen on white paper, nor what a mask has and labels have not. */
  get filter() {
    const isDimmed = this.style !== "none" && (this.isMask || this.isLight !== this.invert);
    return `invert(${Number(this.invert)}) brightness(${this.brightness}) contrast(${this.contrast}) brightness(${isDimmed ? 0.35 : 1})`;
  }

  /** Draws once, however often it is asked for until the next picture. */
  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      for (const plane of this.shownPlanes) plane.draw();
    });
  }
}

class Plane {
  constructor(all, name) {
    this.all = all;
    this.name = name;
    this.title = name === "zy" ? "yz" : name;
    this.axes = kAxes[name];
    this.base = element("canvas", { class: "base", "aria-hidden": true });
    this.canvas = element("canvas", { class: "over", tabindex: 0, role: "img", "aria-label": `Plane ${this.title} of the labels`, "aria-describedby": "keys" });
    this.pictures = new Map();
    this.caption = element("figcaption");
    this.box = element("figure", { class: "plane" }, this.base, this.canvas, this.caption);
    this.listen();
  }

  // Elements are counted along all axes; pixels are CSS pixels from the upper left corner.
  step(axis) { return this.all.scale * this.all.size[axis]; }
  elementAt(x, y) {
    const [u, v] = this.axes, place = this.all.place.map((n) => n + 0.5), { center } = this.all;
    place[u] = center[u] + (x - this.canvas.clientWidth / 2) / this.step(u);
    place[v] = center[v] + (y - this.canvas.clientHeight / 2) / this.step(v);
    return place;
  }
  pixelOf(place) {
    const [u, v] = this.axes, { center } = this.all;
    return [this.canvas.clientWidth / 2 + (place[u] - center[u]) * this.step(u), this.canvas.clientHeight / 2 + (place[v] - center[v]) * this.step(v)];
  }

  /** The id of what is drawn at a pixel, and an element of it there. */
  at(x, y) {
    const { devicePixelRatio: ratio } = window, i = Math.floor(x * ratio), j = Math.floor(y * ratio), place = this.elementAt(x, y);
    const id = this.ids?.[j * this.width + i] ?? 0, [u, v] = this.axes;
    if (id === 0 || u !== 0) return [id, place];
    // Runs that are shown in a pixel need not have the element in its middle.
    const { runs } = this.all.scene, { begin, end } = runs, along = this.span(u, i), across = this.span(v, j), middle = this.grid(v, place[v]), x0 = this.grid(u, place[u]);
    for (const at of [middle, ...Array.from({ length: across[1] - across[0] + 2 }, (_, k) => across[0] - 1 + k)]) {
      const r = this.rowOf(at);
      for (let run = runs.rows[r]; run < runs.rows[r + 1]; ++run) {
        if (runs.id[run] !== id || end[run] < Math.min(along[0], x0 + 1) || begin[run] > Math.max(along[1], x0)) continue;
        const near = Math.min(Math.max(x0, begin[run]), end[run] - 1);
        if (near !== x0) place[u] = near * runs.factor;
        if (at !== middle) place[v] = at * this.by(v);
        return [id, place];
      }
    }
    return [id, place];
  }

  // Grid of what is shown: every `by`-th element.
  by(axis) { const { runs } = this.all.scene; return axis === 2 ? runs.step : runs.factor; }
  grid(axis, at) { return Math.floor(at / this.by(axis)); }
  /** The part of the grid that begins within a pixel of the screen. */
  span(axis, pixel) {
    const { devicePixelRatio: ratio } = window, { canvas } = this, middle = ((axis === this.axes[0] ? canvas.clientWidth : canvas.clientHeight) / 2) * ratio;
    const at = (i) => Math.max(Math.ceil((this.all.center[axis] + (i - middle) / (this.step(axis) * ratio)) / this.by(axis)), 0);
    return [at(pixel), at(pixel + 1)];
  }
  /** The row of runs along x at a place of the vertical axis. */
  rowOf(v) {
    const { runs, extent } = this.all.scene, n = this.axes[2], deep = this.grid(n, this.all.place[n]), r = n === 2 ? deep * runs.height + v : v * runs.height + deep;
    return v >= 0 && v * this.by(this.axes[1]) < extent[this.axes[1]] ? r : runs.rows.length - 1;
  }

  listen() {
    const { all, canvas } = this, pointers = new Map();
    const at = (event) => {
      // The middle of the pixel of the screen, which is where labels are looked up.
      const { left, top } = canvas.getBoundingClientRect(), { devicePixelRatio: ratio } = window;
      return [event.clientX - left, event.clientY - top].map((n) => (Math.floor(n * ratio) + 0.5) / ratio);
    };
    let travelled = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      travelled = pointers.size > 1 ? 100 : 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event), before = pointers.get(event.pointerId);
      if (!before) return all.hovered(...this.at(x, y), event);
      const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      pointers.set(event.pointerId, [x, y]);
      travelled += Math.abs(x - before[0]) + Math.abs(y - before[1]);
      if (travelled < 5) return;
      if (others.length === 1) {
        const [ox, oy] = others[0];
        return all.zoom(Math.hypot(x - ox, y - oy) / Math.max(1, Math.hypot(before[0] - ox, before[1] - oy)), this, ox, oy);
      }
      all.touched = true;
      const [u, v] = this.axes;
      all.center[u] -= (x - before[0]) / this.step(u);
      all.center[v] -= (y - before[1]) / this.step(v);
      all.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (pointers.delete(event.pointerId) && travelled < 5) {
        const [x, y] = at(event);
        all.clicked(...this.at(x, y), event);
      }
    });
    canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", (event) => all.hovered(0, null, event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (all.scene.extent[2] === 1 || event.ctrlKey) all.zoom(Math.exp(-Math.sign(event.deltaY) * 0.2), this, ...at(event));
      else this.turn(Math.sign(event.deltaY));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** To another slice of this plane. */
  turn(slices) {
    const { all, axes: [, , n] } = this, place = [...all.place];
    place[n] += slices * (n === 2 ? all.scene.runs.step : 1);
    all.go(place);
  }

  key(event) {
    const { all, axes: [u, v] } = this, far = 40;
    const move = { ArrowLeft: [u, -1], ArrowRight: [u, 1], ArrowUp: [v, -1], ArrowDown: [v, 1] }[event.key];
    if (move) {
      all.touched = true;
      all.center[move[0]] += (move[1] * far) / this.step(move[0]);
      all.draw();
    }
    const { clientWidth: w, clientHeight: h } = this.canvas, zoom = (factor) => () => all.zoom(factor, this);
    const act = { "+": zoom(1.25), "=": zoom(1.25), "-": zoom(0.8), 0: () => all.fit(), PageUp: () => this.turn(-1), PageDown: () => this.turn(1),
      Enter: () => all.clicked(...this.at(w / 2, h / 2), event) }[event.key];
    act?.();
    if (move || act) event.preventDefault();
  }

  draw() {
    const { devicePixelRatio: ratio } = window, { canvas } = this;
    this.width = Math.round(canvas.clientWidth * ratio);
    this.height = Math.round(canvas.clientHeight * ratio);
    if (this.width === 0 || this.height === 0) return;
    for (const each of [this.base, canvas])
      if (each.width !== this.width || each.height !== this.height) [each.width, each.height] = [this.width, this.height];
    this.drawImage(ratio);
    this.findIds(ratio);
    this.drawLabels();
    this.drawMarks(ratio);
    const { all, axes: [, , n] } = this;
    this.caption.textContent = all.scene.extent[2] > 1 ? `${this.title}, ${"xyz"[n]} ${all.place[n]}` : "";
  }

  /** A channel as a picture of its own pixels in shades of a color, made anew for another slice or color. */
  picture(image, color) {
    const { runs } = this.all.scene, n = this.axes[2], { width: w, height: h, factor } = image;
    const slice = n === 2 ? Math.min(Math.round(this.all.place[2] / runs.step), runs.depth - 1) : Math.floor(this.all.place[n] / factor);
    const before = this.pictures.get(image), canvas = before?.canvas ?? element("canvas");
    if (before?.slice === slice && before.color === color) return canvas;
    const sizes = [w, h, runs.depth], steps = [1, w, w * h];
    const [pw, ph] = this.axes.map((axis) => sizes[axis]), [du, dv] = this.axes.map((axis) => steps[axis]), start = slice * steps[n];
    const data = new ImageData(pw, ph), out = new Uint32Array(data.data.buffer);
    const shades = Uint32Array.from({ length: 256 }, (_, gray) => color.reduceRight((all, share) => (all << 8) | Math.round(share * gray), 255));
    for (let y = 0, i = 0; y < ph; ++y)
      for (let x = 0, at = start + y * dv; x < pw; ++x, at += du) out[i++] = shades[image.pixels[at]];
    [canvas.width, canvas.height] = [pw, ph];
    canvas.getContext("2d").putImageData(data, 0, 0);
    this.pictures.set(image, { slice, color, canvas });
    return canvas;
  }

  drawImage(ratio) {
    const context = this.base.getContext("2d"), { images, extent, runs } = this.all.scene;
    context.fillStyle = "#000";
    context.clearRect(0, 0, this.width, this.height);
    const [u, v] = this.axes, corner = [0, 0, 0], [left, top] = this.pixelOf(corner);
    const [right, bottom] = this.pixelOf(extent);
    context.fillRect(left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio);
    context.save();
    context.beginPath();
    context.rect(left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio);
    context.clip();
    context.imageSmoothingQuality = "high";
    context.globalCompositeOperation = "lighter";
    const shown = images.filter((image) => image.shown);
    for (const image of shown) {
      const picture = this.picture(image, shown.length > 1 ? this.all.tints[images.indexOf(image)] : kGray);
      const across = (axis) => (axis === 2 ? runs.step : image.factor) * this.step(axis) * ratio;
      context.imageSmoothingEnabled = image.factor > 1 || across(u) < 1.5;
      context.drawImage(picture, left * ratio, top * ratio, picture.width * across(u), picture.height * across(v));
    }
    context.restore();
    this.base.style.filter = this.all.filter;
  }

  /** Which label is at each pixel of the screen, straight from the runs. */
  findIds(ratio) {
    const { all, axes: [u, v, n], width, height } = this, { runs, extent } = all.scene;
    if (this.ids?.length !== width * height) this.ids = new Uint32Array(width * height);
    const { ids } = this, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    const shownAlong = (axis, count, middle) => {
      const places = new Int32Array(count), by = axis === 2 ? runs.step : runs.factor;
      const step = this.step(axis) * ratio;
      for (let i = 0; i < count; ++i) {
        const at = Math.floor(all.center[axis] + (i + 0.5 - middle * ratio) / step);
        places[i] = at < 0 || at >= extent[axis] ? -1 : Math.floor(at / by);
      }
      return places;
    };
    const us = shownAlong(u, width, w / 2), vs = shownAlong(v, height, h / 2);
    const deep = Math.floor(all.place[n] / (n === 2 ? runs.step : runs.factor));
    for (let j = 0; j < height; ++j) {
      const row = ids.subarray(j * width, (j + 1) * width);
      if (j > 0 && vs[j] === vs[j - 1]) row.set(ids.subarray((j - 1) * width, j * width));
      else if (vs[j] < 0) row.fill(0);
      else if (n === 0) this.findColumns(row, us, deep, u === 2 ? [runs.height, vs[j]] : [1, vs[j] * runs.height]);
      else {
        this.findRow(row, us, this.rowOf(vs[j]));
        if (this.step(u) * this.by(u) * ratio < 1 || this.step(v) * this.by(v) * ratio < 1) this.addThin(row, vs[j], j);
      }
    }
  }

  /** Adds runs that are between the pixels, so that thin objects do not vanish where many elements are one pixel. */
  addThin(row, v, j) {
    const { devicePixelRatio: ratio } = window, { begin, end, id, rows } = this.all.scene.runs, [first, last] = this.span(this.axes[1], j);
    const scale = this.step(0) * this.by(0) * ratio, shift = (this.canvas.clientWidth / 2) * ratio - this.all.center[0] * this.step(0) * ratio;
    for (let at = first - 1; at < last; ++at) {
      if (at === v) continue;
      const r = this.rowOf(at < first ? v : at);
      for (let run = rows[r]; run < rows[r + 1]; ++run) {
        const to = Math.min(Math.floor((end[run] - 1) * scale + shift) + 1, row.length);
        for (let i = Math.max(Math.floor(begin[run] * scale + shift), 0); i < to; ++i) if (row[i] === 0) row[i] = id[run];
      }
    }
  }

  /** The labels of a row along x. */
  findRow(row, us, r) {
    const { begin, end, id, rows } = this.all.scene.runs, last = rows[r + 1];
    for (let i = 0, run = rows[r]; i < us.length; ++i) {
      const x = us[i];
      while (run < last && end[run] <= x) ++run;
      row[i] = x >= 0 && run < last && begin[run] <= x ? id[run] : 0;
    }
  }

  /** The labels of one column x of rows that are `by` apart. */
  findColumns(row, us, x, [by, first]) {
    const { begin, end, id, rows } = this.all.scene.runs;
    for (let i = 0; i < us.length; ++i) {
      if (us[i] < 0) row[i] = 0;
      else if (i > 0 && us[i] === us[i - 1]) row[i] = row[i - 1];
      else {
        const r = us[i] * by + first;
        let low = rows[r], high = rows[r + 1];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (end[middle] <= x) low = middle + 1;
          else high = middle;
        }
        row[i] = low < rows[r + 1] && begin[low] <= x ? id[low] : 0;
      }
    }
  }

  drawLabels() {
    const { all, width, height, ids } = this, { colors, marked } = all.scene;
    const context = this.canvas.getContext("2d"), data = new ImageData(width, height), out = new Uint32Array(data.data.buffer);
    const fill = all.style === "fill" || all.style === "both", outline = all.style === "outline" || all.style === "both";
    const alpha = (Math.round(all.opacity * 255) << 24) >>> 0;
    const thick = Math.max(1, Math.round(window.devicePixelRatio)), inner = all.inner.fill(0);
    if (all.style !== "none") {
      for (let y = 0, i = 0; y < height; ++y)
        for (let x = 0; x < width; ++x, ++i) {
          const id = ids[i];
          if (id === 0) continue;
          const edge = x >= thick && y >= thick && x + thick < width && y + thick < height &&
            (ids[i - thick] !== id || ids[i + thick] !== id || ids[i - thick * width] !== id || ids[i + thick * width] !== id);
          out[i] = Number(edge);
          inner[id] += edge ? -1 : 3;
        }
      for (let i = 0; i < out.length; ++i) {
        const id = ids[i];
        if (id === 0) continue;
        // Objects below four pixels of the screen are nearly all outline, which would hide the image.
        const color = colors[id], edge = out[i] === 1, isSmall = inner[id] < 0, isOutline = edge && outline && !isSmall;
        if (marked[id]) out[i] = edge ? 0xffffffff : ((color & 0xffffff) | 0xd9000000) >>> 0;
        else if (color >>> 24 < 255) out[i] = isOutline ? ((color & 0xffffff) | 0x60000000) >>> 0 : 0;
        else out[i] = isOutline ? color : fill || isSmall ? ((color & 0xffffff) | alpha) >>> 0 : 0;
      }
    }
    context.putImageData(data, 0, 0);
  }

  /** Lines of the other planes, numbers of what is selected, and a scale bar. */
  drawMarks(ratio) {
    const { all, axes: [u, v], canvas } = this, { scene } = all;
    const context = canvas.getContext("2d"), w = canvas.clientWidth, h = canvas.clientHeight;
    context.save();
    context.scale(ratio, ratio);
    context.font = "600 13px system-ui, 'DejaVu Sans', sans-serif";
    const text = (words, x, y) => {
      context.lineWidth = 3;
      context.strokeStyle = "#000";
      context.fillStyle = "#fff";
      context.strokeText(words, x, y);
      context.fillText(words, x, y);
    };
    if (all.shownPlanes.length > 1) {
      const [x, y] = this.pixelOf(all.place.map((n) => n + 0.5));
      context.strokeStyle = "#ffffff80";
      context.beginPath();
      context.moveTo(x, 0), context.lineTo(x, h), context.moveTo(0, y), context.lineTo(w, y);
      context.stroke();
    }
    context.textAlign = "center";
    for (const { name, place } of scene.names()) {
      const [x, y] = this.pixelOf(place);
      if (x > 0 && y > 0 && x < w && y < h) text(name, x, y + 4);
    }
    const unit = scene.spacing?.[0] > 0 && scene.unit ? scene.unit : null, each = unit ? scene.spacing[0] : 1;
    const length = roundBelow((Math.min(w / 4, 180) / all.scale) * each), pixels = (length / each) * all.scale;
    context.strokeStyle = "#000", context.lineWidth = 5;
    const line = () => { context.beginPath(), context.moveTo(w - 14 - pixels, h - 12), context.lineTo(w - 14, h - 12), context.stroke(); };
    line();
    context.strokeStyle = "#fff", context.lineWidth = 3;
    line();
    text(`${shown(length)} ${unit ?? "px"}`, w - 14 - pixels / 2, h - 19);
    context.restore();
  }
}
