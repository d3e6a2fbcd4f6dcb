// What ImageJ makes of images: for each pair of arguments INPUT OUTPUT, the samples of all slices of INPUT as raw
// 32-bit floats. Run as `java -cp ij.jar ReadByImageJ.java INPUT OUTPUT ...`; needs a JDK, no display.

import ij.ImagePlus;
import ij.io.Opener;
import ij.process.ImageProcessor;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

class ReadByImageJ {
  public static void main(String[] files) throws IOException {
    for (int i = 0; i + 1 < files.length; i += 2) write(new Opener().openImage(files[i]), files[i + 1]);
  }

  private static void write(ImagePlus image, String path) throws IOException {
    try (OutputStream out = new BufferedOutputStream(new FileOutputStream(path))) {
      for (int z = 1; z <= image.getStackSize(); ++z) {
        ImageProcessor slice = image.getStack().getProcessor(z);
        ByteBuffer samples = ByteBuffer.allocate(4 * slice.getPixelCount()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < slice.getPixelCount(); ++i) samples.putFloat(slice.getf(i));
        out.write(samples.array());
      }
    }
  }
}
