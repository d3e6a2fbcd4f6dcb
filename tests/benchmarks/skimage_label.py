"""Labels a volume as a user of scikit-image does: skimage_label.py IN.tif OUT.tif OUT.json"""
import json
import sys

import numpy as np
import tifffile
from skimage.measure import label, regionprops

volume = tifffile.imread(sys.argv[1])
labels, count = label(volume > 0, connectivity=3, return_num=True)
labels = labels.astype(np.uint16 if count <= 65535 else np.uint32)
tifffile.imwrite(sys.argv[2], labels, compression="zlib")
rows = [
    {"label": p.label, "area": int(p.area), "bbox": [int(v) for v in p.bbox], "centroid": [float(v) for v in p.centroid]}
    for p in regionprops(labels)
]
with open(sys.argv[3], "w") as file:
    json.dump({"components": rows}, file)
