// Writes composites as Fiji and ImageJ save them, into FOLDER: channel c of sample i is (c + 1) * 100 if i is a
// multiple of c + 2, else 0. Run as `java -cp ij.jar WriteByImageJ.java FOLDER`; needs a JDK, no display.

import ij.CompositeImage;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.io.FileSaver;
import ij.process.ShortProcessor;

class WriteByImageJ {
  private static final int WIDTH = 8, HEIGHT = 6;

  public static void main(String[] arguments) {
    String folder = arguments[0];
    // Channels with these names are saved as the samples of the pixels of one page.
    String[] colors = {"Red", "Green", "Blue"}, names = {"DAPI", "GFP", "RFP"};
    new FileSaver(composite(colors, 1, IJ.COMPOSITE)).saveAsTiff(folder + "/samples.tif");
    ImagePlus scaled = composite(colors, 1, IJ.COLOR);
    scaled.getCalibration().setUnit("micron");
    scaled.getCalibration().pixelWidth = scaled.getCalibration().pixelHeight = 0.5;
    new FileSaver(scaled).saveAsTiff(folder + "/scaled.tif");
    new FileSaver(composite(names, 1, IJ.COMPOSITE)).saveAsTiffStack(folder + "/pages.tif");
    new FileSaver(composite(names, 2, IJ.GRAYSCALE)).saveAsTiffStack(folder + "/volumes.tif");
  }

  private static ImagePlus composite(String[] names, int slices, int mode) {
    ImageStack stack = new ImageStack(WIDTH, HEIGHT);
    for (int z = 0; z < slices; ++z)
      for (int c = 0; c < names.length; ++c) {
        ShortProcessor pixels = new ShortProcessor(WIDTH, HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT; ++i) pixels.set(i, (i + z) % (c + 2) == 0 ? (c + 1) * 100 : 0);
        stack.addSlice(names[c], pixels);
      }
    ImagePlus image = new ImagePlus("composite", stack);
    image.setDimensions(names.length, slices, 1);
    return new CompositeImage(image, mode);
  }
}
