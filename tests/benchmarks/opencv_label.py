"""Labels a page as a user of OpenCV and tifffile does: opencv_label.py IN.png OUT.tif OUT.json"""
import json
import sys

import cv2
import numpy as np
import tifffile

image = cv2.imread(sys.argv[1], cv2.IMREAD_GRAYSCALE)
count, labels, stats, centroids = cv2.connectedComponentsWithStats(image, connectivity=8)
labels = labels.astype(np.uint16 if count <= 65536 else np.uint32)
tifffile.imwrite(sys.argv[2], labels, compression="zlib")
rows = [
    {"label": i, "area": int(s[4]), "bbox": [int(s[0]), int(s[1]), int(s[0] + s[2] - 1), int(s[1] + s[3] - 1)],
     "centroid": [float(c[0]), float(c[1])]}
    for i, (s, c) in enumerate(zip(stats, centroids)) if i > 0
]
with open(sys.argv[3], "w") as file:
    json.dump({"components": rows}, file)
